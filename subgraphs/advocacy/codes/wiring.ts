import type { AdvocacyArea } from '../parts.js';
import { CodeTableResolver } from './resolver.js';

/** Code tables, for those who judge codes. */
export const codeTablesArea: AdvocacyArea = {
  resolvers: [CodeTableResolver],
  wire: ({ codeTables }) => ({ resolvers: [new CodeTableResolver(codeTables)] }),
};
