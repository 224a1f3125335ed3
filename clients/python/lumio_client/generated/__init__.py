"""Generated from the published documents by `./scripts/clients --update`."""
