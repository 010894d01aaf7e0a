export {
  type Counted,
  DIMENSION_NAMES,
  type Dimension,
  type Group,
  groupEvents,
  isDenial,
  MEASURE_NAMES,
  type Measure,
} from './aggregate.js';
export {
  type Bounds,
  boundsOf,
  type Condition,
  EVERYTHING,
  type Leads,
  leadsOf,
  matches,
  type Said,
} from './condition.js';
export { conditionOf, type FilterAsked } from './parse-filter.js';
