"""The release: planned, written beside its target, audited from the file, put in place, with its receipt."""
