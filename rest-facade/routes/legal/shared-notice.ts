import type { SharedNotice } from '../../../shared/contracts/holds.js';
import type { JsonObject } from '../../../shared/json/strict-json.js';
import { objectOf } from '../../object-of.js';
import { bodyOf } from '../../route.js';
import type { CustomRoute } from '../../route-table.js';
import { PRIVATE_HEADERS } from '../private-headers.js';

const TEXT = { type: 'string' } as const;
const TIME = { type: 'string', format: 'date-time' } as const;

/** The notice as the holder of its link sees it. */
const SHARED_NOTICE: JsonObject = {
  type: 'object',
  description: 'A notice to a custodian without a key.',
  required: ['custodian', 'text', 'status', 'due_at', 'acknowledged_at'],
  properties: {
    custodian: { ...TEXT, description: 'The custodian.', examples: ['Jane Roe, Claims'] },
    text: { ...TEXT, description: 'Text of the notice.', examples: ['Keep all records about member M-1001.'] },
    status: { ...TEXT, description: 'Current status.', enum: ['PENDING', 'ACKNOWLEDGED'], examples: ['PENDING'] },
    due_at: {
      ...TIME,
      description: 'Time by which the custodian shall acknowledge.',
      examples: ['2026-03-16T14:11:10.004Z'],
    },
    acknowledged_at: {
      type: ['string', 'null'],
      format: 'date-time',
      description: 'Time of the acknowledgement, or null.',
      examples: [null],
    },
  },
};

const ACKNOWLEDGEMENT: JsonObject = {
  type: 'object',
  additionalProperties: false,
  required: ['name'],
  properties: {
    name: {
      ...TEXT,
      description: 'Name of the person who acknowledges.',
      minLength: 1,
      maxLength: 200,
      pattern: '\\S',
      examples: ['Jane Roe'],
    },
  },
};

const shown = ({ tenant_id: _tenant, notice_id: _notice, ...rest }: SharedNotice) => rest;

const OPEN = { scope: null, tenant: 'none', operation: null, headers: PRIVATE_HEADERS } as const;

/** Open without a key: the token in the path is checked like one. */
export const readShared: CustomRoute = () => ({
  ...OPEN,
  summary: 'Read a notice by a link',
  description:
    'Needs no key: the token of `POST /v1/hold-notices/{id}/link` opens the notice until the link ends or the notice is withdrawn. 404 with one text for every other token.',
  operationId: 'readSharedNotice',
  response: { schema: SHARED_NOTICE, description: 'The notice, without the hold.' },
  handle: async ({ params, address, services }) =>
    shown(await services.sharedTokens.notice(params['token'] ?? '', address)),
});

/** The step acts for a person without a key, so custody names the service and the custodian. */
export const acknowledgeShared: CustomRoute = () => ({
  ...OPEN,
  summary: 'Acknowledge a notice by a link',
  description:
    'Needs no key. Records the typed name with the acknowledgement. Recorded in custody (ACKNOWLEDGE). 409 INVALID_TRANSITION for a notice that is acknowledged.',
  operationId: 'acknowledgeSharedNotice',
  body: { kind: 'json', schema: ACKNOWLEDGEMENT, example: { name: 'Jane Roe' } },
  // A repeat runs again and finds the notice acknowledged; no copy of the answer is kept.
  reads: true,
  conflicts: true,
  response: { schema: SHARED_NOTICE, description: 'The notice, ACKNOWLEDGED.' },
  handle: async (call) => {
    const { params, address, services, context } = call;
    const token = params['token'] ?? '';
    await services.sharedTokens.notice(token, address);
    const { name } = objectOf(bodyOf(call).value);
    return shown(await services.sharedTokens.acknowledge(token, String(name).trim(), context.requestId));
  },
});
