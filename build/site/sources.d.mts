/** @returns the path of each source in the repository, with the address below `/docs` ('' for the first page) */
export function pageAddresses(root: string): Map<string, string>;
