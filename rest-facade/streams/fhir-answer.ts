import { Problem, problem } from '../../shared/errors/problem.js';
import type { JsonObject } from '../../shared/json/strict-json.js';
import { Answer } from '../route.js';

// What a FHIR client understands: R4 "RESTful API" (statuses of create, batch and transaction) and OperationOutcome.

export const FHIR_JSON = 'application/fhir+json';

/** Row of the root field `receiveFhir`. */
export interface FhirReceipt {
  readonly ingest_id: string | null;
  readonly accepted: number;
  readonly duplicated: number;
  readonly rejected: number;
  readonly content: string | null;
  readonly refusal_code: string | null;
  readonly refusal_message: string | null;
}

/** Issue types (FHIR value set issue-type) of our codes. */
const ISSUE_TYPES: Readonly<Record<string, string>> = {
  NOT_FOUND: 'not-found',
  CONFLICT: 'conflict',
  PAYLOAD_TOO_LARGE: 'too-long',
  UNSUPPORTED_MEDIA_TYPE: 'not-supported',
  MALFORMED_BODY: 'structure',
  VALIDATION_ERROR: 'invalid',
};

const STATUSES: Readonly<Record<string, number>> = {
  PAYLOAD_TOO_LARGE: 413,
  UNSUPPORTED_MEDIA_TYPE: 415,
};

const outcome = (severity: string, code: string, diagnostics: string): JsonObject => ({
  resourceType: 'OperationOutcome',
  issue: [{ severity, code, diagnostics }],
});

const fhir = (status: number, body: unknown, headers: Readonly<Record<string, string>> = {}): Answer =>
  new Answer(status, body, { ...headers, 'content-type': `${FHIR_JSON}; charset=utf-8` });

/**
 * 201 for a resource that is new, 200 for one that came before and for a Bundle's response, 422 where nothing could be taken,
 * 400, 413 or 415 where the body was none.
 */
export function fhirAnswer(receipt: FhirReceipt): Answer {
  const { accepted, duplicated, rejected, content, refusal_code: code, refusal_message: message } = receipt;
  const headers = receipt.ingest_id === null ? {} : { 'x-ingest-id': receipt.ingest_id };
  if (code !== null) {
    const issue = outcome('error', ISSUE_TYPES[code] ?? 'invalid', message ?? code);
    return fhir(STATUSES[code] ?? 400, issue, headers);
  }
  const told = content === null ? informed(receipt) : (JSON.parse(content) as JsonObject);
  if (accepted + duplicated === 0 && rejected > 0) return fhir(422, told, headers);
  const isBundle = told['resourceType'] === 'Bundle';
  return fhir(!isBundle && accepted > 0 ? 201 : 200, told, headers);
}

const informed = ({ accepted, duplicated, rejected }: FhirReceipt): JsonObject =>
  outcome(
    rejected > 0 ? 'warning' : 'information',
    'informational',
    `${accepted} taken, ${duplicated} known, ${rejected} refused.`,
  );

/** A refusal of the request as a FHIR client reads it; what is ours to repair goes the usual way. */
export function fhirRefusal(error: unknown): Answer {
  if (!(error instanceof Problem) || error.status >= 500) throw error;
  return fhir(error.status, outcome('error', ISSUE_TYPES[error.code] ?? 'processing', error.message));
}

/** @throws TENANT_REQUIRED */
export function tenantOf<T>(tenant: T | null): T {
  if (!tenant) throw problem('TENANT_REQUIRED');
  return tenant;
}
