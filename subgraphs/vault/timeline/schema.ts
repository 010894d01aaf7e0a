import { timelineMemberType } from '../../../shared/graph/timeline.js';

export const TimelineMember = timelineMemberType();
