export {
  type EventReadDeps,
  type EventRecordDeps,
  type EventRequest,
  readEvent,
  readingFor,
  recordAround,
} from './event-record.js';
