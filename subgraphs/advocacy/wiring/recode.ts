import { readExplainData } from '../adapters/explain-data.js';
import { RecodeResolver } from '../resolvers/recode-resolver.js';
import type { WireArea } from './parts.js';

/** Recoding, and drafts of appeals. */
export const wireRecode: WireArea = ({ deps, ruleBook, codeTables, answers, keeper }) => {
  const explainData = readExplainData();
  return {
    resolvers: [[RecodeResolver, new RecodeResolver({ ...deps, ruleBook, codeTables, explainData, answers, keeper })]],
  };
};
