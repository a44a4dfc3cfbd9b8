/** Pages, and parts of them, whose code is fetched when they are opened. */
import { lazyRouteComponent } from '@tanstack/react-router'
import { api, take } from './client.ts'

/**
 * Like lazyRouteComponent, which reloads the document when a file is missing, because a new version has other files. If the appliance does
 * not answer, a reload would leave only an error of the browser, so this throws an ApiError (`unreachable`) instead.
 */
export function lazyPage<M extends Record<string, unknown>, K extends keyof M> (load: () => Promise<M>, name: K) {
  return lazyRouteComponent(async () => {
    try {
      return await load()
    } catch (cause) {
      await take(api.GET('/api/v1/session/options'))
      throw cause
    }
  }, name)
}
