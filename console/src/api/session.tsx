import { useQuery, useQueryClient } from '@tanstack/react-query';
import { createContext, type ReactNode, useContext, useState } from 'react';
import { remember, remembered } from '../remembered';
import { type Api, ApiError, api, unwrap } from './client';

type Caller = Api<'Caller'>;

/** Opens a session with a key; the key is in this one request and nowhere else. */
export const signIn = (key: string): Promise<Caller> =>
  unwrap(api.POST('/v1/session', { headers: { 'x-api-key': key, 'x-tenant-id': '' }, body: {} }));

export async function signOut(): Promise<void> {
  await unwrap(api.DELETE('/v1/session', { headers: { 'x-tenant-id': '' } }));
  remember('tenant', null);
  remember('purpose', null);
}

/** Null without a session. */
async function readCaller(): Promise<Caller | null> {
  try {
    return await unwrap(api.GET('/v1/session', { headers: { 'x-tenant-id': '' } }));
  } catch (error) {
    if (error instanceof ApiError && error.status === 401) return null;
    throw error;
  }
}

export const useCaller = () => useQuery({ queryKey: ['caller'], queryFn: readCaller, staleTime: 60_000 });

/** Sets who is signed in, and forgets everything that another user read. */
export function useEnter(): (caller: Caller | null) => void {
  const client = useQueryClient();
  return (caller) => {
    client.setQueryData(['caller'], caller);
    client.removeQueries({ predicate: ({ queryKey }) => queryKey[0] !== 'caller' });
  };
}

interface SignedIn {
  readonly caller: Caller;
  /** The tenant of the key, or the one that an operator has chosen. */
  readonly tenant: string | null;
  readonly choose: (tenant: string | null) => void;
}

const Signed = createContext<SignedIn | null>(null);

export function SignedProvider({ caller, children }: { readonly caller: Caller; readonly children: ReactNode }) {
  const client = useQueryClient();
  const [chosen, setChosen] = useState(() => remembered('tenant'));
  const choose = (tenant: string | null): void => {
    remember('tenant', tenant);
    setChosen(tenant);
    client.removeQueries({ predicate: ({ queryKey }) => queryKey[0] !== 'caller' });
  };
  return <Signed.Provider value={{ caller, tenant: caller.tenant_id ?? chosen, choose }}>{children}</Signed.Provider>;
}

/** The signed-in caller. */
export function useSigned() {
  const signed = useContext(Signed);
  if (signed === null) throw new Error('this screen needs a session');
  const { caller } = signed;
  return { ...signed, isOperator: caller.tenant_id === null, may: (scope: string) => caller.scopes.includes(scope) };
}
