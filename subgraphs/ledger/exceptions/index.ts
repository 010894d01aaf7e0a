export { subjectKeyOf } from './domain/identity.js';
export { EXCEPTIONS } from './model.js';
export type { ExceptionOpener } from './open-exceptions.js';
export type { ExceptionDraft, ExceptionRow, ExceptionStore, OpenExceptions, ResolveException } from './ports.js';
export { exceptionReferences } from './resolver.js';
export { exceptionQueueOf, exceptionResolver, exceptionsArea } from './wiring.js';
