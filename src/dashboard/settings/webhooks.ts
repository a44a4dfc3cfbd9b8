/** Webhook endpoints, and the requests that were sent. */
import { queryOptions } from '@tanstack/react-query'
import { api, take } from '../api/client.ts'

/** Deliveries go on while the page is open. */
const DELIVERIES_MS = 10_000

export const endpointsQuery = queryOptions({
  queryKey: ['webhooks', 'endpoints'],
  queryFn: async () => (await take(api.GET('/api/v1/webhooks/endpoints'))).data
})
export type Endpoint = Awaited<ReturnType<NonNullable<typeof endpointsQuery.queryFn>>>[number]

export const STATUSES = ['all', 'success', 'failed'] as const
export type Status = typeof STATUSES[number]
const LIMIT = 50

export const deliveriesQuery = (status: Status) => queryOptions({
  queryKey: ['webhooks', 'deliveries', status],
  queryFn: async () => {
    const query = { limit: LIMIT, ...(status === 'all' ? {} : { status }) }
    return (await take(api.GET('/api/v1/webhooks/deliveries', { params: { query } }))).data
  },
  refetchInterval: DELIVERIES_MS
})
export type Delivery = Awaited<ReturnType<NonNullable<ReturnType<typeof deliveriesQuery>['queryFn']>>>[number]

export const createEndpoint = async (url: string) => (await take(api.POST('/api/v1/webhooks/endpoints', { body: { url } }))).data.endpoint

export const changeEndpoint = async (id: number, body: { url?: string, isActive?: boolean }) =>
  (await take(api.PATCH('/api/v1/webhooks/endpoints/{id}', { params: { path: { id } }, body }))).data.endpoint

export const deleteEndpoint = async (id: number) => await take(api.DELETE('/api/v1/webhooks/endpoints/{id}', { params: { path: { id } } }))

/** Sends a test event once. Throws `receiver_failed` where the receiver did not accept it. */
export const testEndpoint = async (url: string) => (await take(api.POST('/api/v1/webhooks/test', { body: { url } }))).data

export const retryDelivery = async (id: number) =>
  await take(api.POST('/api/v1/webhooks/deliveries/{id}/retry', { params: { path: { id } } }))
