/** Kinds of rules (api.md section 5). */
export const RULE_KINDS = ['GUIDELINE', 'CODE_EDIT', 'POLICY', 'STATUTE', 'REASON_CODE'] as const;
export type RuleKind = (typeof RULE_KINDS)[number];

/** Limits of one rule. Two hundred revisions of the largest rule fit one document of the database (16 MiB). */
export const RULE_BOUNDS = {
  /** Canonical JSON of one revision. */
  contentBytes: 65_536,
  bodyCharacters: 32_768,
  codes: 2_000,
  criteria: 60,
  revisions: 200,
  artifactBytes: 10 * 1_048_576,
} as const;

/** As much as the body of a request may have, so that every larger artifact is PAYLOAD_TOO_LARGE and no fault of its schema. */
export const MAX_ARTIFACT_BASE64 = 16 * 1_048_576;
