export { dottedIcd10, type NamedCode, namesOfCode, readCode, writtenCode } from './named-code.js';
