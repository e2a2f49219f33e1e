#!/bin/sh
# Pages in headless Chromium: figures, the 3D scene against references, dragging, the keyboard alone. A sample; all of it with
# JOUNCE_BROWSER=full ('make test-browser', which installs Chromium).
# usage: sh test_browser.sh SOURCE_DIR BUILD_DIR
set -eu
skip() { echo "SKIP: $*"; exit 77; }
command -v chromium >/dev/null || command -v chromium-browser >/dev/null || skip "no Chromium ('make test-browser' installs it)"
[ -e "$2/replay.min.js" ] || skip "built without three (npm could not fetch it)"
exec python3 "$1/tests/browser/pages.py" "$2/jounce" $([ "${JOUNCE_BROWSER:-}" = full ] && echo --full)
