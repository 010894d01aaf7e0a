import { z } from 'zod';
import { Problem, problem } from '../../shared/errors/problem.js';
import type { JsonObject } from '../../shared/json/strict-json.js';
import { objectOf } from '../object-of.js';
import { Answer } from '../route.js';

// Answers for FHIR clients: R4 "RESTful API" (statuses of create, batch and transaction) and OperationOutcome.

export const FHIR_JSON = 'application/fhir+json';

/** Row of the root field `receiveFhir`. */
export const FhirReceipt = z.object({
  ingest_id: z.string().nullable(),
  accepted: z.int(),
  duplicated: z.int(),
  rejected: z.int(),
  content: z.string().nullable(),
  refusal_code: z.string().nullable(),
  refusal_message: z.string().nullable(),
});
type FhirReceipt = z.infer<typeof FhirReceipt>;

/** Issue types (FHIR value set issue-type) of error codes. */
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
 * Answers 201 for a new resource, 200 for a known one and for a Bundle, 422 if nothing was accepted, and 400, 413 or 415 for
 * an invalid body.
 */
export function fhirAnswer(receipt: FhirReceipt): Answer {
  const { accepted, duplicated, rejected, content, refusal_code: code, refusal_message: message } = receipt;
  const headers = receipt.ingest_id === null ? {} : { 'x-ingest-id': receipt.ingest_id };
  if (code !== null) {
    const issue = outcome('error', ISSUE_TYPES[code] ?? 'invalid', message ?? code);
    return fhir(STATUSES[code] ?? 400, issue, headers);
  }
  const body = content === null ? outcomeOf(receipt) : objectOf(JSON.parse(content));
  if (accepted + duplicated === 0 && rejected > 0) return fhir(422, body, headers);
  const isBundle = body['resourceType'] === 'Bundle';
  return fhir(!isBundle && accepted > 0 ? 201 : 200, body, headers);
}

const outcomeOf = ({ accepted, duplicated, rejected }: FhirReceipt): JsonObject =>
  outcome(
    rejected > 0 ? 'warning' : 'information',
    'informational',
    `${accepted} accepted, ${duplicated} duplicates, ${rejected} rejected.`,
  );

/** Converts a rejection to an OperationOutcome; a server error is thrown on. */
export function fhirRefusal(error: unknown): Answer {
  if (!(error instanceof Problem) || error.status >= 500) throw error;
  return fhir(error.status, outcome('error', ISSUE_TYPES[error.code] ?? 'processing', error.message));
}

/** @throws TENANT_REQUIRED */
export function tenantOf<T>(tenant: T | null): T {
  if (!tenant) throw problem('TENANT_REQUIRED');
  return tenant;
}
