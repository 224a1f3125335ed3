"""Media types of the document that schemathesis cannot serialise by itself."""

import schemathesis

schemathesis.serializer.alias(["application/csp-report"], "application/json")
schemathesis.serializer.alias(["application/atom+xml"], "text/plain")
