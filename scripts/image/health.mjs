/**
 * The health check of the image: exit code 0 when the server in this container answers. Its certificate does not name 127.0.0.1, so it is
 * not checked.
 */
import http from 'node:http'
import https from 'node:https'

const port = process.env.STENOBOX_PORT || 8080
const host = ['0.0.0.0', '::', '', undefined].includes(process.env.STENOBOX_HOST) ? '127.0.0.1' : process.env.STENOBOX_HOST

const ask = (client) => new Promise((resolve) => {
  const request = client.get({ host, port, path: '/healthz', rejectUnauthorized: false, timeout: 4000 }, (reply) => {
    reply.resume()
    resolve(reply.statusCode)
  })
  request.on('timeout', () => { request.destroy() })
  request.on('error', () => { resolve(undefined) })
})

const status = await ask(http) ?? await ask(https)
process.exitCode = status === 200 ? 0 : 1
