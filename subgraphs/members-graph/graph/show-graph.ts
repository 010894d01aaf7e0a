import { isoTime } from '../../../shared/clock/clock.js';
import type { GraphAnswer, ShownEdge, ShownNode } from './domain/answer.js';
import { kindOfNode, type NodeId } from './domain/node-id.js';
import type { GraphEdge } from './domain/record.js';
import type { GraphWalk } from './walk.js';

/** Formats nodes and edges as an answer, with the members of their records. */
export async function presentGraph(
  walk: GraphWalk,
  { nodes, edges, truncated }: { nodes: readonly NodeId[]; edges: readonly GraphEdge[]; truncated: boolean },
): Promise<GraphAnswer> {
  const at = isoTimes();
  const records = new Map((await walk.recordsOf(nodes)).map((record) => [record.node, record]));
  const withheld = walk.withheld();
  return {
    nodes: nodes.map((node): ShownNode => {
      const others = walk.othersOf(node);
      const bare = { id: node, kind: kindOfNode(node), ...(others.length > 0 && { same_as: others }) };
      const record = records.get(node);
      if (record === undefined) return bare;
      const { at_ms, label, status, source_system } = record;
      return {
        ...bare,
        at: at(at_ms),
        ...(label !== null && { label }),
        ...(status !== null && { status }),
        ...(source_system !== null && { source_system }),
      };
    }),
    edges: edges.map(({ from, to, kind, at_ms, event_id }): ShownEdge => ({ from, to, kind, at: at(at_ms), event_id })),
    truncated,
    ...(withheld && { withheld }),
  };
}

/** Caches texts of times: a record and all its edges share one time. */
function isoTimes(): (ms: number) => string {
  const known = new Map<number, string>();
  return (ms) => {
    const text = known.get(ms) ?? isoTime(ms);
    known.set(ms, text);
    return text;
  };
}
