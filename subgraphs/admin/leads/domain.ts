import { stateMachine } from '../../../shared/state-machine/state-machine.js';

// A lead is an enquiry or a tip from outside that may become a matter, a member or a tenant (api.md section 6, "leads").

export const LEAD_TYPES = ['PROSPECT', 'MEMBER_HELP', 'FRAUD_TIP', 'APPEAL_HELP'] as const;
export type LeadType = (typeof LEAD_TYPES)[number];

export const LEAD_STATUSES = ['NEW', 'CONTACTED', 'QUALIFIED', 'CONVERTED', 'CLOSED'] as const;
export type LeadStatus = (typeof LEAD_STATUSES)[number];

/** `update` is the PATCH; every other action is a route. */
export type LeadAction = 'create' | 'update' | 'contact' | 'qualify' | 'convert' | 'close';

export const CLOSE_REASONS = ['RESOLVED', 'UNREACHABLE', 'NOT_INTERESTED', 'DUPLICATE', 'SPAM', 'OTHER'] as const;
export type CloseReason = (typeof CLOSE_REASONS)[number];

export const CONVERSION_KINDS = ['MEMBER', 'MATTER', 'TENANT'] as const;
export type ConversionKind = (typeof CONVERSION_KINDS)[number];

const write = { scope: 'leads:write' } as const;
const update = { ...write, action: 'update', emits: ['lead.updated'] } as const;
const close = { ...write, action: 'close', to: 'CLOSED', emits: ['lead.closed'] } as const;

/** A lead moves forward one step at a time and may be closed at any step; CONVERTED and CLOSED are final. */
export const LEAD_MACHINE = stateMachine<LeadStatus, LeadAction>('lead', [
  { from: null, action: 'create', to: 'NEW', ...write, emits: ['lead.created'] },
  { from: 'NEW', action: 'contact', to: 'CONTACTED', ...write, emits: ['lead.contacted'] },
  { from: 'CONTACTED', action: 'qualify', to: 'QUALIFIED', ...write, emits: ['lead.qualified'] },
  { from: 'QUALIFIED', action: 'convert', to: 'CONVERTED', ...write, emits: ['lead.converted'] },
  { from: 'NEW', ...close },
  { from: 'CONTACTED', ...close },
  { from: 'QUALIFIED', ...close },
  { from: 'NEW', to: 'NEW', ...update },
  { from: 'CONTACTED', to: 'CONTACTED', ...update },
  { from: 'QUALIFIED', to: 'QUALIFIED', ...update },
]);
