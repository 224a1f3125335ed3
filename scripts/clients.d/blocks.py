"""Joins the code blocks of a chapter to one module. Usage: blocks.py CHAPTER LANGUAGE FILE"""

import pathlib
import re
import sys

chapter, language, out = sys.argv[1:4]
blocks = re.findall(rf"^```{language}[^\n]*\n(.*?)^```", pathlib.Path(chapter).read_text(), re.MULTILINE | re.DOTALL)
if not blocks:
    sys.exit(f"{chapter} has no block of {language}")
place = pathlib.Path(out)
place.parent.mkdir(parents=True, exist_ok=True)
place.write_text("\n".join(blocks))
