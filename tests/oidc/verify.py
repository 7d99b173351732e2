# Verifies deliveries with the package standardwebhooks, as receivers do: one on each line of standard input, as JSON.
# Prints what the package says of each.
import json
import sys

from standardwebhooks import Webhook, WebhookVerificationError

for line in sys.stdin:
    delivery = json.loads(line)
    try:
        Webhook(delivery["secret"]).verify(delivery["body"], delivery["headers"])
        print("accepted")
    except WebhookVerificationError as error:
        print(error)
