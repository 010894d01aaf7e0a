import { readExplainData } from '../adapters/explain-data.js';
import { ExplainResolver } from '../resolvers/explain-resolver.js';
import type { WireArea } from './parts.js';

/** Explanations: what an event's codes mean to the person that it is about. */
export const wireExplain: WireArea = ({ deps, ruleBook, answers }) => ({
  resolvers: [[ExplainResolver, new ExplainResolver({ ...deps, ruleBook, answers, explainData: readExplainData() })]],
});
