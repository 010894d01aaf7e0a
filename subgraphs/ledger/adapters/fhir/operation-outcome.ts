export type Severity = 'error' | 'warning' | 'information';

/** OperationOutcome.issue; `code` is of the value set issue-type. */
export interface Issue {
  readonly severity: Severity;
  readonly code: string;
  readonly details: { readonly text: string };
  readonly diagnostics: string;
  readonly expression?: readonly string[];
}

/** Issue types by our codes; `processing` for what has none of its own. */
const issueTypes: Readonly<Record<string, string>> = {
  NOT_JSON: 'structure',
  DUPLICATE_KEY: 'structure',
  LONE_SURROGATE: 'structure',
  UNSUPPORTED_ENCODING: 'structure',
  NOT_A_BUNDLE: 'structure',
  BUNDLE_UNREADABLE: 'structure',
  RESOURCE_TYPE_MISSING: 'required',
  RESOURCE_TYPE_UNKNOWN: 'not-supported',
  UNSUPPORTED_TRANSACTION: 'not-supported',
  RESOURCE_INVALID: 'invalid',
  RESOURCE_CUT: 'incomplete',
  BUNDLE_CUT: 'incomplete',
  REFERENCE_LOST: 'incomplete',
  RESOURCE_TOO_LARGE: 'too-long',
  BUNDLE_TOO_LONG: 'too-long',
  NESTED_TOO_DEEP: 'too-costly',
  PAYLOAD_TOO_LARGE: 'too-long',
  TRANSACTION_REFUSED: 'business-rule',
  DATE_UNREADABLE: 'value',
  DATE_MISSING: 'required',
  NUMBER_INEXACT: 'value',
  AMOUNT_UNREADABLE: 'value',
  AMOUNTS_MISSING: 'incomplete',
  DECISION_MISSING: 'incomplete',
  STATUS_UNKNOWN: 'code-invalid',
  USE_UNKNOWN: 'code-invalid',
  REVIEW_ACTION_UNKNOWN: 'code-invalid',
  SENDER_MISSING: 'informational',
  NO_EVENT: 'informational',
  SUMMARY: 'informational',
  DUPLICATE: 'duplicate',
  VALIDATION_ERROR: 'invalid',
};

export function issueOf(severity: Severity, code: string, message: string, expression?: string): Issue {
  const type = Object.hasOwn(issueTypes, code) ? issueTypes[code] : undefined;
  return {
    severity,
    code: type ?? 'processing',
    details: { text: message },
    diagnostics: code,
    ...(expression !== undefined && { expression: [expression] }),
  };
}

export const operationOutcome = (issue: readonly Issue[]): Record<string, unknown> => ({
  resourceType: 'OperationOutcome',
  issue,
});
