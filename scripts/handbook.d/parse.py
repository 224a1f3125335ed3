"""Parses code blocks of the handbook: JSON, TOML, YAML and Python. Usage: parse.py FOLDER"""

import json
import pathlib
import sys
import tomllib

import yaml


def toml(text: str) -> None:
    tomllib.loads(text)


def documents(text: str) -> None:
    for _ in yaml.safe_load_all(text):
        pass


def python(text: str) -> None:
    compile(text, "block", "exec")


PARSERS = {".json": json.loads, ".toml": toml, ".yaml": documents, ".py": python}


def main(folder: pathlib.Path) -> int:
    wrong = 0
    for file in sorted(folder.iterdir()):
        parse = PARSERS.get(file.suffix)
        if parse is None:
            continue
        try:
            parse(file.read_text())
        except (ValueError, SyntaxError, yaml.YAMLError) as problem:
            print(f"{file.name}: {problem}")
            wrong += 1
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(pathlib.Path(sys.argv[1])))
