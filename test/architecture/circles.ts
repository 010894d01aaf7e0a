/**
 * Finds the groups of nodes that lead back to themselves (Tarjan's strongly connected components).
 *
 * @param next the nodes that a node leads to; unknown ones are passed over.
 * @returns each group of two nodes or more, in no particular order.
 */
export function circlesOf(nodes: readonly string[], next: (node: string) => readonly string[]): string[][] {
  const known = new Set(nodes);
  const order = new Map<string, number>();
  const lowest = new Map<string, number>();
  const open: string[] = [];
  const isOpen = new Set<string>();
  const circles: string[][] = [];

  const visit = (node: string): void => {
    order.set(node, order.size);
    lowest.set(node, order.size - 1);
    open.push(node);
    isOpen.add(node);
    for (const follower of next(node)) {
      if (!known.has(follower)) continue;
      if (!order.has(follower)) visit(follower);
      if (isOpen.has(follower)) lowest.set(node, Math.min(lowest.get(node) ?? 0, lowest.get(follower) ?? 0));
    }
    if (lowest.get(node) === order.get(node)) close(node);
  };

  const close = (first: string): void => {
    const circle = open.splice(open.indexOf(first));
    for (const node of circle) isOpen.delete(node);
    if (circle.length > 1) circles.push(circle);
  };

  for (const node of nodes) if (!order.has(node)) visit(node);
  return circles;
}
