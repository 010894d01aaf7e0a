import { byCode } from '../../values/codes.js';

/**
 * The source of one event: the message (one per patient), a common order (ORC and its segments), an administered drug
 * (RXA), or a charge (FT1).
 */
export type EventUnit = 'message' | 'order' | 'administration' | 'charge';

/** How one message type and trigger event become events (HL7 table 0003). */
export interface MessageKind {
  readonly family: string;
  /** For orders the verb without its state, which ORC-1 supplies. */
  readonly type: string;
  readonly outcome: string;
  readonly unit: EventUnit;
  /** Segments that the message must have. */
  readonly requires: readonly string[];
}

/** ADT triggers of a visit. */
const ADMISSIONS = byCode({
  admit: 'A01',
  transfer: 'A02 A06 A07 A17',
  discharge: 'A03',
  register: 'A04',
  pre_admit: 'A05',
  depart: 'A09',
  arrive: 'A10',
  cancel_admit: 'A11',
  cancel_transfer: 'A12',
  cancel_discharge: 'A13',
  pending_admit: 'A14',
  pending_transfer: 'A15',
  pending_discharge: 'A16',
  leave_of_absence: 'A21',
  return: 'A22',
  cancel_visit: 'A23',
  cancel_pending_discharge: 'A25',
  cancel_pending_transfer: 'A26',
  cancel_pending_admit: 'A27',
  cancel_arrive: 'A32',
  cancel_depart: 'A33',
  cancel_pre_admit: 'A38',
  cancel_leave_of_absence: 'A52',
  cancel_return: 'A53',
  change_attending: 'A54',
  cancel_change_attending: 'A55',
  change_consulting: 'A61',
  cancel_change_consulting: 'A62',
});
/** ADT triggers of a person. `merge` also moves an account or visit: PID-3 is the survivor, MRG has the prior ids. */
const MEMBER_UPDATES = byCode({
  update: 'A08 A28 A31 A47 A49 A50 A51 A60',
  link: 'A24',
  delete: 'A29',
  unlink: 'A37',
  merge: 'A18 A30 A34 A35 A36 A39 A40 A41 A42 A43 A44 A45 A46 A48',
});
const APPOINTMENTS = byCode({
  booked: 'S12',
  rescheduled: 'S13',
  changed: 'S14 S18 S19 S20 S21 S22',
  cancelled: 'S15',
  discontinued: 'S16',
  deleted: 'S17',
  slots_blocked: 'S23',
  slots_opened: 'S24',
  no_show: 'S26',
});
const APPOINTMENT_OUTCOMES = byCode({
  cancelled: 'cancelled discontinued deleted',
  recorded: 'slots_blocked slots_opened',
  no_show: 'no_show',
});
const DOCUMENTS = byCode({
  document_notified: 'T01 T02',
  document_updated: 'T03 T04 T05 T06 T07 T08 T09 T10',
  document_cancelled: 'T11',
});

const KINDS = new Map<string, MessageKind>();

function add(code: string, triggers: string, kind: MessageKind): void {
  for (const trigger of triggers.split(' ')) KINDS.set(`${code}^${trigger}`, kind);
}

function fillTable(): void {
  const message = { unit: 'message', outcome: 'recorded' } as const;
  for (const [trigger, type] of ADMISSIONS) {
    const outcome = type.startsWith('cancel') ? 'cancelled' : 'recorded';
    add('ADT', trigger, { ...message, family: 'encounter', type, outcome, requires: ['EVN', 'PID'] });
  }
  for (const [trigger, type] of MEMBER_UPDATES) {
    const requires = type === 'merge' ? ['EVN', 'PID', 'MRG'] : ['EVN', 'PID'];
    add('ADT', trigger, { ...message, family: 'member', type, requires });
  }
  for (const [trigger, type] of APPOINTMENTS) {
    const outcome = APPOINTMENT_OUTCOMES.get(type) ?? 'scheduled';
    add('SIU', trigger, { ...message, family: 'appointment', type, outcome, requires: ['SCH'] });
  }
  for (const [trigger, type] of DOCUMENTS) {
    // TXA-17 decides the outcome; a cancelled document is always cancelled.
    const outcome = type === 'document_cancelled' ? 'cancelled' : '';
    add('MDM', trigger, { ...message, family: 'document', type, outcome, requires: ['PID', 'TXA'] });
  }
  const result = { ...message, family: 'clinical', type: 'result_reported' };
  add('ORU', 'R01 R03 R30 R31 R32 R40 W01', { ...result, requires: ['PID', 'OBR'] });
  add('OUL', 'R21 R22 R23 R24', { ...result, requires: ['OBR'] });
  // RXA-20 and RXA-21 decide the type.
  const immunization = { ...result, type: 'immunization_reported', unit: 'administration' } as const;
  add('VXU', 'V04', { ...immunization, requires: ['PID', 'RXA'] });
  const order = { family: 'clinical', type: 'order', outcome: '', unit: 'order', requires: ['PID', 'ORC'] } as const;
  add('ORM', 'O01', order);
  add('OMG', 'O19', order);
  add('OML', 'O21 O33 O35 O39', order);
  add('OMI', 'O23', order);
  add('OMP', 'O09', order);
  add('RDE', 'O11 O25 O01', order);
  add('RDS', 'O13 O01', { ...order, type: 'drug_dispensed', outcome: 'recorded' });
  add('RAS', 'O17 O01', { ...order, type: 'drug_administered', outcome: 'recorded' });
  const charge = { family: 'claim', type: 'charge_posted', outcome: 'submitted', unit: 'charge' } as const;
  add('DFT', 'P03 P11', { ...charge, requires: ['PID', 'FT1'] });
  add('BAR', 'P01 P02 P05 P06 P10 P12', { ...charge, requires: ['PID'] });
  const referral = { ...message, family: 'prior_authorization', outcome: 'submitted', requires: ['RF1', 'PID'] };
  add('REF', 'I12', { ...referral, type: 'referral_requested' });
  add('REF', 'I13 I14', { ...referral, type: 'referral_changed' });
  add('REF', 'I15', { ...referral, type: 'referral_status_asked' });
}

fillTable();

/** Types of 2.1 and 2.2 that were sent without a trigger event and have one meaning. */
const SOLE_TRIGGERS: Readonly<Record<string, string>> = { ORU: 'R01', ORM: 'O01', RDE: 'O01', VXU: 'V04' };

/** The kind of MSH-9; null if it yields no events. */
export function kindOf(code: string, trigger: string): MessageKind | null {
  const sole = Object.hasOwn(SOLE_TRIGGERS, code) ? SOLE_TRIGGERS[code] : '';
  return KINDS.get(`${code}^${trigger === '' ? sole : trigger}`) ?? null;
}

/** ORC-1 (table 0119) to event type and outcome, for orders only. */
const ORDER_STATES = byCode({
  'order_placed submitted': 'NW CH PA',
  'order_refill_requested submitted': 'RF',
  'order_cancelled submitted': 'CA DC',
  'order_cancelled cancelled': 'OC CR OD DR',
  'order_changed submitted': 'XO',
  'order_changed recorded': 'XX XR',
  'order_replaced submitted': 'RP RO',
  'order_replaced recorded': 'RU RQ',
  'order_held submitted': 'HD',
  'order_held recorded': 'OH HR',
  'order_released submitted': 'RL',
  'order_released recorded': 'OE OR',
  'order_accepted accepted': 'OK',
  'order_rejected rejected': 'UA',
  'order_status_changed recorded': 'SC SR',
  'order_status_asked submitted': 'SS',
  'order_number_assigned submitted': 'SN',
  'order_number_assigned recorded': 'NA',
  'order_performed recorded': 'RE',
  'order_in_error error': 'DE',
});

/** Null for an unknown ORC-1 code. */
export function orderState(control: string): { type: string; outcome: string } | null {
  const [type = '', outcome = ''] = ORDER_STATES.get(control)?.split(' ') ?? [];
  return type === '' ? null : { type, outcome };
}

const COMPLETIONS = byCode({ recorded: 'AU LA DO', pended: 'DI IN IP PA' });

/** TXA-17 (table 0271) to outcome; null for an unknown code. */
export const documentOutcome = (completion: string): string | null =>
  completion === '' ? 'recorded' : (COMPLETIONS.get(completion) ?? null);
