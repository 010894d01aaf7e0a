import { freshTenant, type Http } from '../../support/http.js';

export interface People {
  readonly tenantId: string;
  /** Drafts. */
  readonly clerk: Http;
  /** Applies. */
  readonly counsel: Http;
  /** Reads, without and with the scope for originals. */
  readonly reader: Http;
  readonly trusted: Http;
}

/** A separate tenant, and the people who redact in it. */
export async function peopleOf(operator: Http): Promise<People> {
  const { tenantId, http: clerk } = await freshTenant(operator, ['admin']);
  const keyOf = async (scopes: readonly string[]): Promise<Http> => {
    const made = await operator.post('/v1/api-keys', { tenant_id: tenantId, name: scopes.join(' '), scopes });
    return operator.as(made.json.api_key);
  };
  return {
    tenantId,
    clerk,
    counsel: await keyOf(['redactions:apply', 'redactions:read']),
    reader: await keyOf(['events:read']),
    trusted: await keyOf(['events:read', 'documents:unredacted', 'redactions:read']),
  };
}

export const WHY = { reason: 'Names a third person.', basis: '45 CFR 164.502(b)' };
export const draft = (http: Http, body: Record<string, unknown>) => http.post('/v1/redactions', { ...WHY, ...body });
export const apply = (http: Http, id: string) => http.post(`/v1/redactions/${id}/apply`, {});

/** Drafted by one, applied by another. */
export async function applied({ clerk, counsel }: People, body: Record<string, unknown>) {
  const made = await draft(clerk, body);
  if (made.status !== 200) throw new Error(`no draft: ${made.text}`);
  return apply(counsel, made.json.redaction_id);
}

export async function until(isTrue: () => Promise<boolean>): Promise<void> {
  const deadline = Date.now() + 150_000;
  while (!(await isTrue())) if (Date.now() > deadline) throw new Error('it did not come to be');
}
