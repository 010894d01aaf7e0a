import { CODE_SYSTEM_NAMES } from '../event-keys/event-keys.js';

// Filters by the content of events, as lists and timelines take them. The parser of keys rejects an empty value, with the name of
// the parameter.

export const OUTCOME_FILTER = {
  description: 'Events with this outcome, in any case.',
  example: 'denied',
  optional: true,
  minLength: 1,
  maxLength: 512,
};

export const CODE_FILTER = {
  description: `Events that name this code, as SYSTEM:CODE. A code matches as a whole. Systems: ${CODE_SYSTEM_NAMES.join(', ')}.`,
  example: 'carc:50',
  optional: true,
  maxLength: 256,
};

export const PROVIDER_FILTER = {
  description: 'Events that name this provider, as npi: and ten digits with a valid check digit.',
  example: 'npi:1234567893',
  optional: true,
  maxLength: 64,
};
