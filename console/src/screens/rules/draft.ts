import type { Api } from '../../api/client';

type RuleInput = Api<'RuleInput'>;

export const RULE_KINDS = ['GUIDELINE', 'CODE_EDIT', 'POLICY', 'STATUTE', 'REASON_CODE'] as const;

/** A rule as the reader types it. */
export interface Draft {
  readonly key: string;
  readonly title: string;
  readonly kind: (typeof RULE_KINDS)[number];
  readonly program: string;
  readonly jurisdiction: string;
  readonly effective_from: string;
  readonly effective_to: string;
  /** One a line. */
  readonly codes: string;
  /** JSON. */
  readonly criteria: string;
  readonly citation: string;
  readonly body: string;
}

const EXAMPLE = [{ id: 'c1', text: 'Age 18 or more.', logic: { '>=': [{ var: 'member.age_years' }, 18] } }];

export const NEW_DRAFT: Draft = {
  key: '',
  title: '',
  kind: 'GUIDELINE',
  program: '',
  jurisdiction: '',
  effective_from: '',
  effective_to: '',
  codes: '',
  criteria: JSON.stringify(EXAMPLE, null, 2),
  citation: '',
  body: '',
};

/** A moment at the start of a day is written as the day. */
const dayOf = (at: string | null): string => (at ?? '').replace('T00:00:00.000Z', '');

export const draftOf = (rule: Api<'Rule'>): Draft => ({
  key: rule.key,
  title: rule.title,
  kind: rule.kind,
  program: rule.program ?? '',
  jurisdiction: rule.jurisdiction ?? '',
  effective_from: dayOf(rule.effective_from),
  effective_to: dayOf(rule.effective_to),
  codes: rule.codes.join('\n'),
  criteria: JSON.stringify(rule.criteria, null, 2),
  citation: rule.citation ?? '',
  body: rule.body ?? '',
});

/** @throws SyntaxError if the criteria are not JSON. */
export function ruleOf(draft: Draft): RuleInput {
  const codes = draft.codes.split(/\s+/).filter((code) => code !== '');
  const optional = ['program', 'jurisdiction', 'effective_to', 'citation', 'body'] as const;
  return {
    key: draft.key.trim(),
    title: draft.title,
    kind: draft.kind,
    effective_from: draft.effective_from,
    codes,
    criteria: JSON.parse(draft.criteria),
    ...Object.fromEntries(optional.flatMap((name) => (draft[name] === '' ? [] : [[name, draft[name]]]))),
  };
}
