/** What a message of SCRIPT is about. */
export interface ScriptKind {
  readonly type: string;
  /** The outcome of every such message; '' where the message itself says it. */
  readonly outcome: string;
  /** True for what answers a message: it is not answered itself. */
  readonly acknowledges?: true;
}

const submitted = (type: string): ScriptKind => ({ type, outcome: 'submitted' });
const decided = (type: string): ScriptKind => ({ type, outcome: '' });
const recorded = (type: string): ScriptKind => ({ type, outcome: 'recorded' });

/** By the name of the Body's child; names of 8.1 to 10.6 (Refill…, …RxRequest) beside those of 2017071 and later. */
const kinds: ReadonlyMap<string, ScriptKind> = new Map(
  Object.entries({
    NewRx: submitted('new_rx'),
    NewRxRequest: submitted('new_rx_request'),
    NewRxResponseDenied: { type: 'new_rx_response', outcome: 'denied' },
    RxChangeRequest: submitted('rx_change_request'),
    RxChangeResponse: decided('rx_change_response'),
    ChangeRxRequest: submitted('rx_change_request'),
    ChangeRxResponse: decided('rx_change_response'),
    RxRenewalRequest: submitted('rx_renewal_request'),
    RxRenewalResponse: decided('rx_renewal_response'),
    RefillRequest: submitted('rx_renewal_request'),
    RefillResponse: decided('rx_renewal_response'),
    CancelRx: submitted('cancel_rx'),
    CancelRxResponse: decided('cancel_rx_response'),
    RxFill: recorded('rx_fill'),
    RxFillIndicatorChange: recorded('rx_fill_indicator_change'),
    RxTransferRequest: submitted('rx_transfer_request'),
    RxTransferResponse: decided('rx_transfer_response'),
    RxTransferConfirm: recorded('rx_transfer_confirm'),
    RxHistoryRequest: submitted('rx_history_request'),
    RxHistoryResponse: decided('rx_history_response'),
    Resupply: submitted('resupply'),
    DrugAdministration: recorded('drug_administration'),
    Recertification: recorded('recertification'),
    PAInitiationRequest: submitted('pa_initiation_request'),
    PAInitiationResponse: decided('pa_initiation_response'),
    PARequest: submitted('pa_request'),
    PAResponse: decided('pa_response'),
    PAAppealRequest: submitted('pa_appeal_request'),
    PAAppealResponse: decided('pa_appeal_response'),
    PACancelRequest: submitted('pa_cancel_request'),
    PACancelResponse: decided('pa_cancel_response'),
    PANotification: decided('pa_notification'),
    REMSInitiationRequest: submitted('rems_initiation_request'),
    REMSInitiationResponse: decided('rems_initiation_response'),
    REMSRequest: submitted('rems_request'),
    REMSResponse: decided('rems_response'),
    ClinicalInfoRequest: submitted('clinical_info_request'),
    ClinicalInfoResponse: decided('clinical_info_response'),
    Status: { type: 'status', outcome: '', acknowledges: true },
    Error: { type: 'error', outcome: 'error', acknowledges: true },
    Verify: { type: 'verify', outcome: 'accepted', acknowledges: true },
  } satisfies Record<string, ScriptKind>),
);

/** The kind of a transaction by its element's name; null for one that gives no event. */
export function kindOf(name: string): ScriptKind | null {
  return kinds.get(name) ?? null;
}

/** What a response element says. `Replace` grants the request with another drug. */
const responses: ReadonlyMap<string, string> = new Map([
  ['Approved', 'approved'],
  ['ApprovedWithChanges', 'approved_with_changes'],
  ['Replace', 'approved_with_changes'],
  ['Validated', 'approved'],
  ['Denied', 'denied'],
  ['DeniedNewPrescriptionToFollow', 'denied'],
  ['PartialDenied', 'partially_approved'],
  ['PartiallyDenied', 'partially_approved'],
  ['Pending', 'pended'],
  ['Open', 'pended'],
  ['Cancelled', 'cancelled'],
]);

/** The outcome of a response element; undefined for an element that is none. */
export function responseOutcome(name: string): string | undefined {
  return responses.get(name);
}

/** Status: 000 by an intermediary, 010 by the receiver, 001 and 005 on the way (External Code List). */
export const goodStatusCodes: ReadonlySet<string> = new Set(['000', '001', '002', '003', '005', '010']);
