/** Bounds of one rule. Two hundred revisions of the largest rule fit one document of the database (16 MiB). */
export const RULE_BOUNDS = {
  /** Canonical JSON of one revision. */
  contentBytes: 65_536,
  bodyCharacters: 32_768,
  codes: 2_000,
  criteria: 60,
  revisions: 200,
  artifactBytes: 10 * 1_048_576,
} as const;

/** A little above what 10 MiB take in base64: what is larger still is refused by its own name, not by its spelling. */
export const MAX_ARTIFACT_BASE64 = 15_000_000;
