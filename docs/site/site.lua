-- Links between pages of the source tree become links of the site, which has no folders; tables and formulas may scroll;
-- a page's title is its heading; the page is marked in the menu and knows its neighbours.
local function target(link)
  local path, anchor = link:match("^([^#]*)(#?.*)$")
  if path == "" or path:match("^%a+:") then return link end
  path = path:gsub("^%./", "")
  while path:match("^%.%./") do path = path:gsub("^%.%./", "") end
  path = path:gsub("^docs/", ""):gsub("^tutorials/", "")
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
  -- figures/ have a background of their own, light or dark
  if image.src:match("figures/") then image.classes:insert("drawn") end
  if not image.src:match("^%a+:") then image.src = image.src:match("([^/]*)$") end
  return image
end

function Table(t)
  return pandoc.Div({ t }, { class = #t.colspecs >= 7 and "table wide" or "table" })
end

-- a paragraph that is one displayed formula, or one picture: scrolls by itself
function Para(p)
  if #p.content == 1 and p.content[1].t == "Image" then return pandoc.Div({ p }, { class = "figure" }) end
  local display
  for _, x in ipairs(p.content) do
    if x.t == "Math" and x.mathtype == "DisplayMath" and not display then display = true
    elseif x.t ~= "SoftBreak" and x.t ~= "Space" then return nil end
  end
  if display then return pandoc.Div({ p }, { class = "formula" }) end
end

local function neighbours(meta)
  local page = meta.page and pandoc.utils.stringify(meta.page)
  local last, found
  for _, group in ipairs(meta.menu or {}) do
    for _, entry in ipairs(group.pages) do
      local name = pandoc.utils.stringify(entry.page)
      if name == page then
        entry.current, group.open, meta.before, found = true, true, last, true
      elseif found then
        meta.after, found = entry, nil
      end
      last = entry
    end
  end
  meta.home = page == "index"
  meta.alone = page == "index" or page == "search"
end

-- MathML of a formula. Parentheses stretch only around what is tall: pandoc lets all of them stretch, and browsers then
-- put space around them.
local function mathml(math)
  local html = pandoc.write(pandoc.Pandoc({ pandoc.Plain({ math }) }), "html", { html_math_method = "mathml" })
  if not html:match("<math") then error("a formula that cannot be set: " .. math.text) end
  -- a minus after a relation, a comma or a parenthesis is a sign, without space
  html = html:gsub('(<mo>[^%w<]+</mo>)<mo>−</mo>', '%1<mo form="prefix" lspace="0" rspace="0">−</mo>')
  html = html:gsub('(<mo>,</mo><mspace width="[%d.]+em"></mspace>)<mo>−</mo>', '%1<mo form="prefix" lspace="0" rspace="0">−</mo>')
  html = html:gsub('(form="prefix">[(%[{]</mo>)<mo>−</mo>', '%1<mo form="prefix" lspace="0" rspace="0">−</mo>')
  local open, at, out = {}, 1, {}
  local pattern = '()<mo stretchy="true" form="(%a+)">([^<]*)</mo>()'
  for from, form, sign, to in html:gmatch(pattern) do
    table.insert(out, html:sub(at, from - 1))
    table.insert(out, { form = form, sign = sign })
    at = to
    if form == "prefix" then
      table.insert(open, #out)
    else
      local first = table.remove(open)
      if first then
        local inside = {}
        for k = first + 1, #out - 1 do inside[#inside + 1] = type(out[k]) == "string" and out[k] or "" end
        local text = table.concat(inside)
        local tall = text:match("<mfrac") or text:match("<munder") or text:match("<mtable") or text:match("<mo>∑")
        out[first].tall, out[#out].tall = tall, tall
      end
    end
  end
  for k, piece in ipairs(out) do
    if type(piece) == "table" then
      out[k] = '<mo stretchy="' .. (piece.tall and "true" or "false") .. '" form="' .. piece.form .. '">' .. piece.sign .. "</mo>"
    end
  end
  return pandoc.RawInline("html", table.concat(out) .. html:sub(at))
end

function Pandoc(doc)
  for _, block in ipairs(doc.blocks) do
    if block.t == "Header" then
      doc.meta.pagetitle = doc.meta.pagetitle or pandoc.utils.stringify(block)
      break
    end
  end
  neighbours(doc.meta)
  return doc:walk({ Math = mathml })
end
