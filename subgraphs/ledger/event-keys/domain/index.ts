import { isReservedSourceSystem } from '../../../../shared/ids/tenant.js';

/** Empty for callers' own partitions; each reserved partition is a separate space (docs/evidence.md). */
export const spaceOf = (sourceSystem: string): string => (isReservedSourceSystem(sourceSystem) ? sourceSystem : '');
