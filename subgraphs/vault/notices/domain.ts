import { linkTokens } from '../../../shared/ids/link-token.js';
import { stateMachine } from '../../../shared/state-machine/state-machine.js';

// A notice tells a custodian to keep the records of a legal hold. The service sends nothing: the custodian reads the notice
// under their own key or session, or by a link, or staff delivers it and records the acknowledgement.

export const NOTICE_STATUSES = ['PENDING', 'ACKNOWLEDGED', 'WITHDRAWN'] as const;
export type NoticeStatus = (typeof NOTICE_STATUSES)[number];

export type NoticeAction = 'create' | 'remind' | 'share' | 'acknowledge' | 'withdraw';

const write = { scope: 'holds:write' } as const;

/** The custodian's own key, or the link, needs no scope to acknowledge. */
export const NOTICE_MACHINE = stateMachine<NoticeStatus, NoticeAction>('hold notice', [
  { from: null, action: 'create', to: 'PENDING', ...write, emits: ['hold-notice.created'] },
  { from: 'PENDING', action: 'remind', to: 'PENDING', ...write, emits: ['hold-notice.reminded'] },
  { from: 'PENDING', action: 'share', to: 'PENDING', ...write, emits: ['hold-notice.shared'] },
  { from: 'PENDING', action: 'acknowledge', to: 'ACKNOWLEDGED', ...write, emits: ['hold-notice.acknowledged'] },
  { from: 'PENDING', action: 'withdraw', to: 'WITHDRAWN', ...write, emits: ['hold-notice.withdrawn'] },
]);

/** Steps in the history of a notice, which is part of the record. */
export const MAX_REMINDERS = 100;
export const MAX_LINKS = 20;

/** Tokens of links to notices. */
export const NOTICE_TOKENS = linkTokens('ehn', 'holdNotice');
