/** What one event is made of: the message (one a patient), a common order (ORC and what follows), or a charge (FT1). */
export type EventUnit = 'message' | 'order' | 'charge';

/** How one message type and trigger event become events (HL7 table 0003). */
export interface MessageKind {
  readonly family: string;
  /** For orders the verb without its state: ORC-1 tells the rest. */
  readonly type: string;
  readonly outcome: string;
  readonly unit: EventUnit;
  /** Segments without which the message says nothing of its kind. */
  readonly requires: readonly string[];
}

const admissions: Readonly<Record<string, string>> = {
  A01: 'admit',
  A02: 'transfer',
  A03: 'discharge',
  A04: 'register',
  A05: 'pre_admit',
  A06: 'transfer',
  A07: 'transfer',
  A09: 'depart',
  A10: 'arrive',
  A11: 'cancel_admit',
  A12: 'cancel_transfer',
  A13: 'cancel_discharge',
  A14: 'pending_admit',
  A15: 'pending_transfer',
  A16: 'pending_discharge',
  A17: 'transfer',
  A21: 'leave_of_absence',
  A22: 'return',
  A23: 'cancel_visit',
  A25: 'cancel_pending_discharge',
  A26: 'cancel_pending_transfer',
  A27: 'cancel_pending_admit',
  A32: 'cancel_arrive',
  A33: 'cancel_depart',
  A38: 'cancel_pre_admit',
  A52: 'cancel_leave_of_absence',
  A53: 'cancel_return',
  A54: 'change_attending',
  A55: 'cancel_change_attending',
  A61: 'change_consulting',
  A62: 'cancel_change_consulting',
};

const memberUpdates: Readonly<Record<string, string>> = {
  A08: 'update',
  A24: 'link',
  A28: 'update',
  A29: 'delete',
  A31: 'update',
  A37: 'unlink',
  A47: 'update',
  A49: 'update',
  A50: 'update',
  A51: 'update',
  A60: 'update',
};

/** Merges, and moves of an account or visit to another patient: the survivor stands in PID-3, the prior ids in MRG. */
const merges = 'A18 A30 A34 A35 A36 A39 A40 A41 A42 A43 A44 A45 A46 A48'.split(' ');

const appointments: Readonly<Record<string, readonly [type: string, outcome: string]>> = {
  S12: ['booked', 'scheduled'],
  S13: ['rescheduled', 'scheduled'],
  S14: ['changed', 'scheduled'],
  S15: ['cancelled', 'cancelled'],
  S16: ['discontinued', 'cancelled'],
  S17: ['deleted', 'cancelled'],
  S18: ['changed', 'scheduled'],
  S19: ['changed', 'scheduled'],
  S20: ['changed', 'scheduled'],
  S21: ['changed', 'scheduled'],
  S22: ['changed', 'scheduled'],
  S26: ['no_show', 'no_show'],
};

const documents: Readonly<Record<string, string>> = {
  T01: 'document_notified',
  T02: 'document_notified',
  T03: 'document_updated',
  T04: 'document_updated',
  T05: 'document_updated',
  T06: 'document_updated',
  T07: 'document_updated',
  T08: 'document_updated',
  T09: 'document_updated',
  T10: 'document_updated',
  T11: 'document_cancelled',
};

const kinds = new Map<string, MessageKind>();

function add(code: string, triggers: string, kind: MessageKind): void {
  for (const trigger of triggers.split(' ')) kinds.set(`${code}^${trigger}`, kind);
}

function fillTable(): void {
  for (const [trigger, type] of Object.entries(admissions)) {
    const outcome = type.startsWith('cancel') ? 'cancelled' : 'recorded';
    add('ADT', trigger, { family: 'encounter', type, outcome, unit: 'message', requires: ['EVN', 'PID'] });
  }
  for (const [trigger, type] of Object.entries(memberUpdates)) {
    add('ADT', trigger, { family: 'member', type, outcome: 'recorded', unit: 'message', requires: ['EVN', 'PID'] });
  }
  for (const trigger of merges) {
    const requires = ['EVN', 'PID', 'MRG'];
    add('ADT', trigger, { family: 'member', type: 'merge', outcome: 'recorded', unit: 'message', requires });
  }
  for (const [trigger, [type, outcome]] of Object.entries(appointments)) {
    add('SIU', trigger, { family: 'appointment', type, outcome, unit: 'message', requires: ['SCH'] });
  }
  for (const [trigger, type] of Object.entries(documents)) {
    const requires = ['PID', 'TXA'];
    // The outcome is TXA-17's; a cancelled document is cancelled whatever that says.
    const outcome = trigger === 'T11' ? 'cancelled' : '';
    add('MDM', trigger, { family: 'document', type, outcome, unit: 'message', requires });
  }
  fillClinical();
  fillClaims();
}

function fillClinical(): void {
  const result = { family: 'clinical', type: 'result_reported', outcome: 'recorded', unit: 'message' } as const;
  add('ORU', 'R01 R03 R30 R31 R32 R40 W01', { ...result, requires: ['PID', 'OBR'] });
  add('OUL', 'R21 R22 R23 R24', { ...result, requires: ['OBR'] });
  const order = { family: 'clinical', type: 'order', outcome: '', unit: 'order', requires: ['PID', 'ORC'] } as const;
  add('ORM', 'O01', order);
  add('OMG', 'O19', order);
  add('OML', 'O21 O33 O35 O39', order);
  add('OMI', 'O23', order);
  add('OMP', 'O09', order);
  add('RDE', 'O11 O25 O01', order);
  const dispense = { ...order, type: 'drug_dispensed', outcome: 'recorded' } as const;
  add('RDS', 'O13 O01', dispense);
  add('RAS', 'O17 O01', { ...dispense, type: 'drug_administered' });
  const immunization = { ...result, type: 'immunization_reported', requires: ['PID', 'RXA'] };
  add('VXU', 'V04', immunization);
}

function fillClaims(): void {
  const charge = { family: 'claim', type: 'charge_posted', outcome: 'submitted', unit: 'charge' } as const;
  add('DFT', 'P03 P11', { ...charge, requires: ['PID', 'FT1'] });
  add('BAR', 'P01 P02 P05 P06 P10 P12', { ...charge, requires: ['PID'] });
  const referral = {
    family: 'prior_authorization',
    outcome: 'submitted',
    unit: 'message',
    requires: ['RF1', 'PID'],
  } as const;
  add('REF', 'I12', { ...referral, type: 'referral_requested' });
  add('REF', 'I13 I14', { ...referral, type: 'referral_changed' });
  add('REF', 'I15', { ...referral, type: 'referral_status_asked' });
}

fillTable();

/** Types of 2.1 and 2.2 that were sent without a trigger event, and can mean only one. */
const soleTriggers: Readonly<Record<string, string>> = { ORU: 'R01', ORM: 'O01', RDE: 'O01', VXU: 'V04' };

/** The kind of MSH-9; null when it gives no events. */
export function kindOf(code: string, trigger: string): MessageKind | null {
  const sole = Object.hasOwn(soleTriggers, code) ? soleTriggers[code] : '';
  return kinds.get(`${code}^${trigger === '' ? sole : trigger}`) ?? null;
}

/** ORC-1 (table 0119) to event type and outcome; mapping of orders alone. */
const orderStates: Readonly<Record<string, readonly [type: string, outcome: string]>> = {
  NW: ['order_placed', 'submitted'],
  CH: ['order_placed', 'submitted'],
  PA: ['order_placed', 'submitted'],
  RF: ['order_refill_requested', 'submitted'],
  CA: ['order_cancelled', 'submitted'],
  DC: ['order_cancelled', 'submitted'],
  OC: ['order_cancelled', 'cancelled'],
  CR: ['order_cancelled', 'cancelled'],
  OD: ['order_cancelled', 'cancelled'],
  DR: ['order_cancelled', 'cancelled'],
  XO: ['order_changed', 'submitted'],
  XX: ['order_changed', 'recorded'],
  XR: ['order_changed', 'recorded'],
  RP: ['order_replaced', 'submitted'],
  RO: ['order_replaced', 'submitted'],
  RU: ['order_replaced', 'recorded'],
  RQ: ['order_replaced', 'recorded'],
  HD: ['order_held', 'submitted'],
  OH: ['order_held', 'recorded'],
  HR: ['order_held', 'recorded'],
  RL: ['order_released', 'submitted'],
  OE: ['order_released', 'recorded'],
  OR: ['order_released', 'recorded'],
  OK: ['order_accepted', 'accepted'],
  UA: ['order_rejected', 'rejected'],
  SC: ['order_status_changed', 'recorded'],
  SS: ['order_status_asked', 'submitted'],
  SR: ['order_status_changed', 'recorded'],
  SN: ['order_number_assigned', 'submitted'],
  NA: ['order_number_assigned', 'recorded'],
  RE: ['order_performed', 'recorded'],
  DE: ['order_in_error', 'error'],
};

/** Null for a code of ORC-1 that says nothing known. */
export function orderState(control: string): { type: string; outcome: string } | null {
  const found = Object.hasOwn(orderStates, control) ? orderStates[control] : undefined;
  return found === undefined ? null : { type: found[0], outcome: found[1] };
}

/** TXA-17 (table 0271) to outcome; null for an unknown code. */
export function documentOutcome(completion: string): string | null {
  if (completion === '' || completion === 'AU' || completion === 'LA' || completion === 'DO') return 'recorded';
  return completion === 'DI' || completion === 'IN' || completion === 'IP' || completion === 'PA' ? 'pended' : null;
}
