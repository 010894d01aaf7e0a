import { readFileSync } from 'node:fs';
import { repositoryFile } from '../../app/repository.js';
import { freshTenant, type Http } from '../support/http.js';

export const DENIAL = repositoryFile('app/demo/files/denial.json');
export const CLAIMS = repositoryFile('app/demo/files/claims-837p.edi');

/** The member of the denial. */
export const MEMBER = 'M-1001';

export interface Filled {
  readonly http: Http;
  readonly tenantId: string;
  readonly denialId: string;
}

/** A tenant with a denied authorization, three claims and the remittance that answers them, and a key with these scopes. */
export async function filledTenant(operator: Http, scopes: readonly string[] = ['admin']): Promise<Filled> {
  const { http: admin, tenantId } = await freshTenant(operator, ['admin']);
  const sent = await admin.post('/v1/events', JSON.parse(readFileSync(DENIAL, 'utf8')));
  for (const file of ['claims-837p.edi', 'remittance-835.edi']) {
    const body = readFileSync(repositoryFile(`app/demo/files/${file}`));
    const source = file.startsWith('claims') ? 'claims-gateway' : 'remits';
    const headers = { 'content-type': 'application/edi-x12' };
    const made = await admin.post(`/v1/ingest/raw?source_system=${source}`, body, headers);
    if (made.status !== 200) throw new Error(`${file}: ${made.status} ${made.text}`);
  }
  if (sent.status !== 200) throw new Error(`the denial: ${sent.status} ${sent.text}`);
  const key = await operator.post('/v1/api-keys', { tenant_id: tenantId, name: 'console', scopes });
  return { http: operator.as(key.json.api_key), tenantId, denialId: sent.json.event_id };
}
