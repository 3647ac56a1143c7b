#!/usr/bin/env node
/** Starts `reprise` in a clone. */
"use strict";

require("../packages/reprise/bin/reprise.cjs");
