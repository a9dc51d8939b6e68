#!/bin/sh
# Draws a page of `ppsweep report` as headless Chromium shows it:
#   docs/examples/page_picture.sh PAGE.html PICTURE.png WIDTH HEIGHT
# Without Chromium the picture of this name in docs/images is copied.
set -eu
page=$(realpath "$1") picture=$(realpath "$(dirname "$2")")/$(basename "$2")
if ! command -v chromium >/dev/null; then
	cp "$(dirname "$(realpath "$0")")/../images/$(basename "$2")" "$picture"
	exit 0
fi
user=$(mktemp -d)
trap 'rm -rf "$user"' EXIT
chromium --headless --no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking \
	--disable-component-update --disable-sync --hide-scrollbars --user-data-dir="$user" --window-size="$3,$4" \
	--virtual-time-budget=10000 --screenshot="$picture" "file://$page" >/dev/null 2>&1
