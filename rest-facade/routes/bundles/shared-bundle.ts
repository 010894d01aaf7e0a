import { internalContext, type RequestContext } from '../../../shared/auth/context.js';
import type { SharedBundle } from '../../../shared/contracts/bundles.js';
import type { CustomRoute } from '../../route-table.js';
import { contentAnswer } from '../../streams/content.js';
import { PRIVATE_HEADERS } from '../private-headers.js';
import { zipOf } from './bundle-content.js';

/** Open without a key: the token in the path is judged like one. */
export const downloadShared: CustomRoute = () => ({
  scope: null,
  tenant: 'none',
  summary: 'Download a sealed bundle by a link',
  description:
    'Needs no key: the token of `POST /v1/bundles/{id}/links` opens the bundle until the link ends, is used up or is revoked, and as long as its maker may download the bundle. 404 with one text for every other token. 403 if records of the bundle were redacted, disposed of or withheld by consent since its seal. Each answer with bytes is in custody (DOWNLOAD_BUNDLE) with the recipient and the link, and counts, also one for a Range.',
  operation: null,
  operationId: 'downloadSharedBundle',
  headers: PRIVATE_HEADERS,
  content: { mediaTypes: ['application/zip'] },
  response: { schema: {}, description: 'The ZIP; the ETag is its SHA-256.' },
  handle: async (call) => {
    const { token = '' } = call.params;
    const { sharedTokens } = call.services;
    const shared = await sharedTokens.open(token, call.address);
    const content = zipOf(call.services, shared, shared.log_id);
    const { recipient, purpose } = shared;
    const custody = { ...content.custody, recipient, purpose };
    const detail = { ...content.custody.detail, link_id: shared.link_id };
    return contentAnswer(
      { ...call, context: contextOf(shared, call.context), tenant: tenantOf(shared) },
      { ...content, custody: { ...custody, detail }, claim: () => sharedTokens.count(token) },
    );
  },
});

/** The request has no key: custody names the service, the recipient and the link. */
const contextOf = ({ tenant_id }: SharedBundle, { requestId, traceparent }: RequestContext): RequestContext => ({
  ...internalContext(tenant_id, 'bundle-links'),
  requestId,
  traceparent,
});

const tenantOf = ({ tenant_id, log_id }: SharedBundle) => ({ tenant_id, log_id, status: 'ACTIVE' }) as const;
