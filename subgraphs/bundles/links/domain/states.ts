import { stateMachine } from '../../../../shared/state-machine/state-machine.js';

// States of a link to a bundle for another party. Its end by time is computed and no state: no step takes place then.

export const LINK_STATUSES = ['ACTIVE', 'USED_UP', 'REVOKED'] as const;
export type LinkStatus = (typeof LINK_STATUSES)[number];

/** `use-up` is the last download that the link allows. */
export type LinkAction = 'create' | 'download' | 'use-up' | 'revoke';

const given = { scope: 'bundles:export' } as const;
const used = { scope: 'internal' } as const;

export const LINK_MACHINE = stateMachine<LinkStatus, LinkAction>('bundle link', [
  { from: null, action: 'create', to: 'ACTIVE', ...given, emits: ['bundle-link.created'] },
  { from: 'ACTIVE', action: 'download', to: 'ACTIVE', ...used, emits: ['bundle-link.downloaded'] },
  { from: 'ACTIVE', action: 'use-up', to: 'USED_UP', ...used, emits: ['bundle-link.used-up'] },
  { from: 'ACTIVE', action: 'revoke', to: 'REVOKED', ...given, emits: ['bundle-link.revoked'] },
]);
