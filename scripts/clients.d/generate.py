"""Writes the generated files of clients/python.

Usage: generate.py DOCUMENTS OUT
DOCUMENTS holds openapi.json and asyncapi.json, OUT gets models.py, operations.py, events.py and channels.py. The models are made by
datamodel-code-generator, the calls by this program: no maintained generator makes typed calls without a class and a file
for each model (docs/reference/clients.md#generators).
"""

import json
import pathlib
import re
import sys
import tempfile

from datamodel_code_generator import DataModelType, InputFileType, LiteralType, PythonVersion, generate
from datamodel_code_generator.enums import OpenAPIScope
from datamodel_code_generator.format import Formatter

import events
import operations

UNDERSCORE = "underscore_of_"
HEADER = '"""Generated from the {source} by `./scripts/clients --update`. Edits are lost."""\n'


def main() -> None:
    documents, out = (pathlib.Path(argument) for argument in sys.argv[1:3])
    out.mkdir(parents=True, exist_ok=True)
    openapi = json.loads((documents / "openapi.json").read_text())
    asyncapi = json.loads((documents / "asyncapi.json").read_text())
    models = typed_dicts(openapi)
    write(out / "models.py", "OpenAPI document", models)
    write(out / "operations.py", "OpenAPI document", operations.module(openapi, class_names(models)))
    protocol = typed_dicts(events.as_openapi(asyncapi))
    write(out / "events.py", "AsyncAPI document", protocol + events.tables(asyncapi))
    write(out / "channels.py", "AsyncAPI document", events.constructors(asyncapi))


def typed_dicts(document: dict) -> str:
    """Returns the schemas of a document as classes."""
    with tempfile.TemporaryDirectory() as folder:
        place = pathlib.Path(folder) / "models.py"
        generate(
            json.dumps(prepared(document)),
            input_filename="document",
            input_file_type=InputFileType.OpenAPI,
            output=place,
            output_model_type=DataModelType.TypingTypedDict,
            target_python_version=PythonVersion.PY_310,
            openapi_scopes=[OpenAPIScope.Schemas],
            enum_field_as_literal=LiteralType.All,
            use_schema_description=True,
            use_field_description=True,
            use_standard_collections=True,
            use_union_operator=True,
            treat_dot_as_module=False,
            disable_timestamp=True,
            formatters=[Formatter.BUILTIN],
        )
        text = place.read_text()
    text = text[text.index("from __future__"):].replace(UNDERSCORE, "_")
    compare(document, text)
    return text


def compare(document: dict, text: str) -> None:
    """Fails when a class has other keys than its schema: the generator renames some."""
    namespace: dict = {}
    exec(compile(text, "models.py", "exec"), namespace)
    for name, schema in document["components"]["schemas"].items():
        made = namespace[events.camel(name)]
        if "properties" in schema and set(made.__annotations__) != set(schema["properties"]):
            raise AssertionError(f"{name}: the class has other keys than the schema")


def prepared(document: dict) -> dict:
    """Returns the document without what is not of the types."""
    copy = {**document, "paths": {}, "components": json.loads(json.dumps({"schemas": document["components"]["schemas"]}))}
    for schema in copy["components"]["schemas"].values():
        # A named schema of any object would be a class without keys.
        if schema.get("type") == "object" and not schema.get("properties") and "additionalProperties" not in schema:
            schema["additionalProperties"] = {}
    for schema in schemas_of(copy["components"]):
        # Members of a union differ in their literals, a mapping cannot name all of them.
        schema.pop("discriminator", None)
        if schema.get("type") == "object" and not schema.get("properties"):
            schema.setdefault("additionalProperties", True)
        # The generator takes an underscore in front of a key away.
        for key in [key for key in schema.get("properties", {}) if key.startswith("_")]:
            schema["properties"][UNDERSCORE + key[1:]] = schema["properties"].pop(key)
            schema["required"] = [UNDERSCORE + name[1:] if name == key else name for name in schema.get("required", [])]
        if schema.get("format") in ("uuid", "date-time"):
            del schema["format"]
    return copy


def schemas_of(value):
    if isinstance(value, dict):
        yield value
        for key, entry in value.items():
            if key not in ("example", "examples"):
                yield from schemas_of(entry)
    elif isinstance(value, list):
        for entry in value:
            yield from schemas_of(entry)


def class_names(text: str) -> set[str]:
    return set(re.findall(r"^class (\w+)", text, re.MULTILINE)) | set(re.findall(r"^(\w+): TypeAlias", text, re.MULTILINE))


def write(place: pathlib.Path, source: str, text: str) -> None:
    text = re.sub(r"[ \t]+$", "", text, flags=re.MULTILINE).rstrip()
    place.write_text(f"{HEADER.format(source=source)}\n{text}\n")


if __name__ == "__main__":
    main()
