/** Sending a form, and what the appliance says about it. */
import { useMutation } from '@tanstack/react-query'
import { faultsOf } from '../api/faults.ts'

type Sending<F extends string, V, R> = {
  /** Throws ApiError when the appliance refuses it. */
  send (values: V): Promise<R>
  /** The fields that a refusal may name. */
  fields: readonly F[]
  /** The field that a refusal with this code is about, where its sentence names none. */
  codes?: Readonly<Partial<Record<string, F>>>
  onDone? (result: R): unknown
}

/** What was typed stays when it is refused, with the reason beside it. `reset` takes the reason away. */
export function useSending<F extends string, R, V = void> ({ send, fields, codes, onDone }: Sending<F, V, R>) {
  const { mutate, isPending, error, reset } = useMutation<R, Error, V>({
    mutationFn: send, onSuccess: async (result) => { await onDone?.(result) }
  })
  // Enter in a field sends a form even while its button does nothing.
  const once: typeof mutate = (...given) => { if (!isPending) mutate(...given) }
  return { send: once, isSending: isPending, faults: faultsOf(error, fields, codes), reset }
}
