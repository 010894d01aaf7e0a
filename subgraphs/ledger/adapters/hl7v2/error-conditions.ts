/** HL7 table 0357, message error condition codes. */
export interface ErrorCondition {
  readonly code: string;
  readonly text: string;
  /** True where the header itself cannot be worked with: AR instead of AE. */
  readonly rejects: boolean;
}

const condition = (code: string, text: string, rejects = false): ErrorCondition => ({ code, text, rejects });

const sequenceError = condition('100', 'Segment sequence error');
const requiredMissing = condition('101', 'Required field missing');
const dataType = condition('102', 'Data type error');
const tableValue = condition('103', 'Table value not found');
const notUnderstood = condition('207', 'Application internal error');
const duplicate = condition('205', 'Duplicate key identifier');
const messageType = condition('200', 'Unsupported message type', true);
const malformed = condition('102', 'Data type error', true);

const byCode: Readonly<Record<string, ErrorCondition>> = {
  UNSUPPORTED_TRANSACTION: messageType,
  MESSAGE_TYPE_MISSING: condition('101', 'Required field missing', true),
  HEADER_UNREADABLE: condition('101', 'Required field missing', true),
  NOT_HL7: condition('100', 'Segment sequence error', true),
  UNSUPPORTED_ENCODING: malformed,
  VERSION_UNKNOWN: condition('203', 'Unsupported version id', true),
  PROCESSING_ID_UNKNOWN: condition('202', 'Unsupported processing id', true),
  CONTROL_ID_MISSING: condition('101', 'Required field missing', true),
  MESSAGE_EMPTY: sequenceError,
  MESSAGE_CUT: sequenceError,
  MESSAGE_TOO_LONG: dataType,
  HEADER_LOST: sequenceError,
  SEGMENT_MISSING: sequenceError,
  SEGMENT_UNREADABLE: sequenceError,
  SEGMENT_UNTERMINATED: sequenceError,
  SEGMENT_CONTINUED: sequenceError,
  UNKNOWN_SEGMENT: sequenceError,
  TERMINATOR_LOST: sequenceError,
  FRAME_OPEN: sequenceError,
  SEGMENT_TOO_LONG: dataType,
  NUL_IN_MESSAGE: dataType,
  AMOUNT_UNREADABLE: dataType,
  DATE_UNREADABLE: dataType,
  CHARSET_MISMATCH: dataType,
  CHARSET_UNKNOWN: tableValue,
  STATUS_UNKNOWN: tableValue,
  ORDER_CONTROL_UNKNOWN: tableValue,
  TRIGGER_DIFFERS: tableValue,
  DATE_MISSING: requiredMissing,
  SENDER_MISSING: requiredMissing,
  DUPLICATE: duplicate,
  VALIDATION_ERROR: dataType,
  PAYLOAD_TOO_LARGE: dataType,
};

/** What of table 0357 says a fault; 207 for one of our own. */
export function conditionOf(code: string): ErrorCondition {
  return (Object.hasOwn(byCode, code) ? byCode[code] : undefined) ?? notUnderstood;
}
