// Verifies deliveries with the package standardwebhooks, as receivers do: one on each line of standard input, as JSON.
// Prints what the package says of each.
import { createInterface } from "node:readline";
import { Webhook } from "standardwebhooks";

for await (const line of createInterface({ input: process.stdin })) {
    const { secret, headers, body } = JSON.parse(line);
    try {
        new Webhook(secret).verify(body, headers);
        console.log("accepted");
    } catch (error) {
        console.log(error.message);
    }
}
