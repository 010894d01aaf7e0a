/** What a rule is (api.md section 5). */
export const RULE_KINDS = ['GUIDELINE', 'CODE_EDIT', 'POLICY', 'STATUTE', 'REASON_CODE'] as const;
export type RuleKind = (typeof RULE_KINDS)[number];
