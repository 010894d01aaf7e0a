import { timelineMemberType } from '../../../../shared/graph/timeline.js';

export { Bundle, EXAMPLE_BUNDLE } from './bundle.js';

export const TimelineMember = timelineMemberType();
