export { exceptionIdOf } from './identity.js';
export { EXCEPTION_TABLE } from './kinds.js';
