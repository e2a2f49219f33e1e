-- Links between pages of the source tree become links of the site; tables may scroll; a page's title is its heading.
local function target(link)
  local path, anchor = link:match("^([^#]*)(#?.*)$")
  if path == "" or path:match("^%a+:") then return link end
  path = path:gsub("^%./", ""):gsub("^docs/", "")
  path = path:gsub("^%.%./", "")
  if path:match("^include/jounce/?$") then return "api.html" end
  local header = path:match("^include/jounce/([%w_]+)%.h$")
  if header then return "api.html#" .. header end
  if path:match("^examples/?$") then return "examples.html" end
  local example, ending = path:match("^examples/([%w_]+)%.(%w+)$")
  if example then return "examples.html#" .. example .. "_" .. ending end
  if path == "README.md" then return "readme.html" .. anchor end
  if path == "CITATION.cff" then return "citation.html" end
  if path == "LICENSE" then return "license.html" end
  local page = path:match("^([%w_]+)%.md$")
  if page then return page:lower() .. ".html" .. anchor end
  return link
end

function Link(link)
  -- sources are not part of the site
  if link.target:match("^[./]*tools/") or link.target:match("^[./]*tests/") or link.target:match("^[./]*src/") then
    return link.content
  end
  link.target = target(link.target)
  return link
end

function Image(image)
  image.src = image.src:gsub("^docs/", "")
  return image
end

function Table(t)
  return pandoc.Div({ t }, { class = "table" })
end

function Pandoc(doc)
  for _, block in ipairs(doc.blocks) do
    if block.t == "Header" then
      doc.meta.pagetitle = doc.meta.pagetitle or pandoc.utils.stringify(block)
      break
    end
  end
  return doc
end
